/** Requests and answers of simulated providers. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { jsonOf } from '../../domain/json.ts';

/** Its idle connections stay: one closed while the next request is on its way would be a fault nobody asked for. */
export function simulatorServer(listener: RequestListener): Server {
  const server = createServer(listener);
  server.keepAliveTimeout = 0;
  return server;
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Empty for what is no object. */
export function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** As Meta refuses: its error where there is a code, the bare status where not. */
export function refuse(
  response: ServerResponse,
  { status, code, retryAfter }: { status: number; code?: number; retryAfter?: string },
): void {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (code === undefined) response.writeHead(status).end();
  else
    answer(response, status, {
      error: {
        code,
        message: `(#${code}) Simulated refusal`,
        type: 'OAuthException',
        error_data: { messaging_product: 'whatsapp', details: 'as told to the simulator' },
      },
    });
}

export function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
