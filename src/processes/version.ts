/** Which release this process runs. Read when it starts: what is installed afterwards changes nothing that runs. */
import { readFileSync } from 'node:fs';

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
