/** The Chromium of this machine, with a fresh profile, asking the network for nothing by itself. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** @throws {Error} saying what to install. */
export async function startChromium(): Promise<Browser> {
  if (!existsSync(PATH))
    throw new Error(`no Chromium at ${PATH}: install it (apt-get install chromium), or name it in CHROMIUM_PATH`);
  return chromium.launch({ executablePath: PATH, args: FLAGS });
}
