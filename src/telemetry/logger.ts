/** The log: one JSON object a line on standard output, without anything personal or secret in it. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { JsonObject } from '../domain/json.ts';
import { framesOf } from '../domain/stack-frames.ts';
import type { Config } from '../config.ts';

export type { Logger };

/** The log as whoever writes to it is given it: what happened, in a sentence without values, and the values. */
export interface Log {
  info(fields: JsonObject, message: string): void;
  warn(fields: JsonObject, message: string): void;
  error(fields: JsonObject, message: string): void;
}

/** Fields that never reach a log, at the top or one or two levels down: what people wrote, who they are, what opens doors. */
const PERSONAL = [
  'address',
  'aliases',
  'phone',
  'email',
  'text',
  'caption',
  'name',
  'contact',
  'content',
  'body',
  'transcript',
];
const SECRET = [
  'authorization',
  'secret',
  'token',
  'accessToken',
  'appSecret',
  'verifyToken',
  'apiToken',
  'apiKey',
  'webhookSecret',
  'botWebhookSecret',
  'password',
];

/** Not `name`: at the top it is the logger's own, and an error's. */
const paths = [...PERSONAL, ...SECRET].flatMap((field) => [
  ...(field === 'name' ? [] : [field]),
  `*.${field}`,
  `*.*.${field}`,
]);

/** Deeper chains of causes than this say nothing new. */
const MOST_CAUSES = 4;

/** An error in a log: its kind, its words, its code, the first frames, and what caused it. `type`, since `name` is a person's. */
function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const more = cause instanceof Error && depth < MOST_CAUSES ? { cause: plainError(cause, depth + 1) } : {};
  return { type: name, message, ...code, at: framesOf(error), ...more };
}

/** `destination` is standard output unless a test listens. */
export function createLogger({ logLevel }: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const options = {
    level: logLevel,
    base: null,
    redact: { paths, censor: '[redacted]' },
    serializers: { error: plainError, cause: plainError },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
