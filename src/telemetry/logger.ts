/** The log: one JSON object a line on standard output, without anything personal or secret in it. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

export type { Logger };

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
  'password',
];

/** Not `name`: at the top it is the logger's own, and an error's. */
const paths = [...PERSONAL, ...SECRET].flatMap((field) => [
  ...(field === 'name' ? [] : [field]),
  `*.${field}`,
  `*.*.${field}`,
]);

/** `destination` is standard output unless a test listens. */
export function createLogger({ logLevel }: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const options = {
    level: logLevel,
    base: null,
    redact: { paths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
