/** Temporal's binaries, as `scripts/setup.js` left them for the tests. */
import { findTemporalCli, findTestServer } from '../../src/temporal/binaries.ts';

const path = process.env['PATH'] ?? '';

export const temporalCli = (): string =>
  findTemporalCli({ explicit: process.env['TEMPORAL_CLI_PATH'] || undefined, path });
export const testServer = (): string =>
  findTestServer({ explicit: process.env['TEMPORAL_TEST_SERVER_PATH'] || undefined, path });
