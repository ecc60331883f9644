/** The JSON schema of `attache.config.json`, for editors: what docs/attache.config.schema.json holds. */
import { z } from 'zod';
import { ConfigFile } from './config-file.ts';

export function configFileSchema(): string {
  const schema = z.toJSONSchema(ConfigFile, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ ...schema, title: 'Attaché: attache.config.json' }, null, 2)}\n`;
}
