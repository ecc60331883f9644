/** Where the saved histories lie. */
import { fileURLToPath } from 'node:url';

export const HISTORIES = fileURLToPath(new URL('./histories', import.meta.url));
