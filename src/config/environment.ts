/** The environment variables: the one list that docs/guide/configuration.md and .env.example repeat, as a test checks. */
import { z } from 'zod';

const text = z.string().optional();
const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address beginning with http:// or https://' })
  .optional();
const port = (lowest: 0 | 1) =>
  z
    .string()
    .regex(/^\d{1,5}$/, { error: `must be a port, ${lowest} to 65535` })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(lowest)
        .max(65_535, { error: `must be a port, ${lowest} to 65535` }),
    );

/** Levels of pino. */
const LogLevelSchema = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);
export type LogLevel = z.infer<typeof LogLevelSchema>;

export const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(0).default(8080),
  ATTACHE_DATA_DIR: z.string().default('.attache'),
  ATTACHE_CONFIG: text,
  ATTACHE_API_KEYS: z.string().default(''),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be postgres://user:password@host:5432/database' })
    .optional(),
  ATTACHE_METRICS_PORT: port(0).optional(),
  LOG_LEVEL: LogLevelSchema.default('info'),
  ATTACHE_TEMPORAL_PORT: port(1).optional(),
  ATTACHE_TEMPORAL_UI_PORT: port(1).optional(),
  ATTACHE_TEMPORAL_UI_URL: httpUrl,
  TEMPORAL_ADDRESS: text,
  TEMPORAL_NAMESPACE: text,
  TEMPORAL_API_KEY: text,
  TEMPORAL_PROFILE: text,
  TEMPORAL_CONFIG_FILE: text,
  /** As Temporal's own reading of it takes 1 and true, and anything else for no. */
  TEMPORAL_TLS: z.enum(['true', 'false', '1', '0'], { error: 'must be true or false' }).optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: text,
  TEMPORAL_TLS_CLIENT_CERT_DATA: text,
  TEMPORAL_TLS_CLIENT_KEY_PATH: text,
  TEMPORAL_TLS_CLIENT_KEY_DATA: text,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text,
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: text,
  TEMPORAL_TLS_SERVER_NAME: text,
  TEMPORAL_CLI_PATH: text,
  TEMPORAL_TEST_SERVER_PATH: text,
  ATTACHE_PUBLIC_URL: httpUrl,
  ATTACHE_LINK_SECRET: z.string().min(32, { error: 'must have 32 characters or more: draw them at random' }).optional(),
  LLM_BASE_URL: httpUrl,
  LLM_API_KEY: text,
  LLM_MODEL: text,
  /** Refused rather than ignored: whoever sets it believes that payloads are encrypted. */
  ATTACHE_ENCRYPTION_KEYS: z
    .undefined({ error: 'encryption of payloads is not in this version, so nothing would be encrypted: unset it' })
    .optional(),
  ATTACHE_URL: httpUrl,
  ATTACHE_API_KEY: text,
});
export type Variables = z.infer<typeof Environment>;

/** An empty variable counts as unset: `PORT=` in an `.env` file asks for the default. */
export function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''));
}
