/** The server, the tenant and the reader's role, for every component below. */
import { createContext, useContext } from 'react';
import { createServer, type Server } from './server.ts';
import type { ActName, Role, Session } from './shapes.ts';
import type { Ask } from './ask.ts';

export interface Connection {
  readonly ask: Ask;
  readonly server: Server;
  readonly session: Session;
}

const ConnectionContext = createContext<Connection | undefined>(undefined);
export const ConnectionProvider = ConnectionContext.Provider;

export function connect(ask: Ask, session: Session, tenant: string): Connection {
  return { ask, session, server: createServer(ask, tenant) };
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === undefined) throw new Error('used outside of a ConnectionProvider');
  return connection;
}

export function useServer(): Server {
  return useConnection().server;
}

const ORDER: readonly Role[] = ['viewer', 'operator', 'admin'];

/** Whether the reader may do what needs this role. */
export function useMay(needed: Role): boolean {
  const { session } = useConnection();
  return ORDER.indexOf(session.role) >= ORDER.indexOf(needed);
}

/** Whether the reader may do this to a run: by their role, and, in an embedded panel, by its token. */
export function useMayDo(): (act: ActName) => boolean {
  const { session } = useConnection();
  const mayAct = useMay('operator');
  return (act) => mayAct && (session.panel?.acts.includes(act) ?? true);
}
