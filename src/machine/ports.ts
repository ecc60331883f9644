/** Ports on this machine. */
import { connect, createServer } from 'node:net';

/** Somebody else listens there. The message says which variable chooses another. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  readonly port: number;

  constructor({ port, purpose, variable }: { port: number; purpose: string; variable: string }) {
    super(`Port ${port}, for ${purpose}, is taken by another program. Set ${variable} to a free port.`);
    this.port = port;
  }
}

/**
 * The wanted port of loopback, or any free one, which is nobody else's by chance for a minute: it stays with a connection that
 * this end has closed, and no port that a connection has left behind (TIME_WAIT) is drawn for another.
 * @throws {PortTakenError} when the wanted one is taken.
 */
export async function freePort(wanted: {
  port: number | undefined;
  purpose: string;
  variable: string;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' && wanted.port !== undefined;
      reject(taken ? new PortTakenError({ ...wanted, port: wanted.port ?? 0 }) : error);
    });
    probe.listen(wanted.port ?? 0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      if (wanted.port !== undefined) probe.close(() => resolve(port));
      else connect(port, '127.0.0.1').once('error', reject).resume();
    });
    probe.once('connection', (socket) => {
      const { localPort: port = 0 } = socket;
      socket.once('error', reject).once('close', () => probe.close(() => resolve(port)));
      socket.end().resume();
    });
  });
}
