/** A provider to play with: point Attaché at it, and speak in it. */
import { InvalidArgumentError, type Command } from 'commander';
import { durationMs, DURATION_RULE } from '../../domain/durations.ts';
import { argumentOf } from '../choices.ts';
import type { Context, SimulateKind } from '../context.ts';

const KINDS: readonly SimulateKind[] = ['whatsapp', 'chatwoot', 'crm'];

interface Options {
  readonly tenant: string;
  readonly port: number;
  readonly from?: string;
  readonly duplicates: number;
  readonly late: number;
  readonly lost: number;
  readonly seed: number;
  readonly latency?: number;
  readonly window?: true;
  readonly clock?: number;
}

export function simulateCommand(program: Command, context: Context): void {
  program
    .command('simulate')
    .description('be a provider: a server to point Attaché at, and a prompt to speak in it')
    .addArgument(argumentOf('<kind>', KINDS))
    .option('--tenant <tenant>', 'whose webhooks it posts to', 'demo')
    .option('--port <port>', 'where it listens; default: any free one', whole, 0)
    .option('--from <who>', 'the customer’s phone (whatsapp), or the conversation (chatwoot, crm)')
    .option('--duplicates <share>', 'webhooks posted twice, 0 to 1', share, 0)
    .option('--late <share>', 'webhooks that others overtake', share, 0)
    .option('--lost <share>', 'webhooks whose connection breaks', share, 0)
    .option('--seed <number>', 'the same seed, the same trouble', whole, 1)
    .option('--latency <time>', 'before each answer, such as 300ms', duration)
    .option('--window', 'whatsapp: free text only within 24 hours of the customer’s last message')
    .option('--clock <instant>', 'what its clock shows, such as 2026-12-01T08:00:00Z', instant)
    .action(async (kind: SimulateKind, options: Options) => simulate(context, kind, options));
}

async function simulate({ processes, serverUrl }: Context, kind: SimulateKind, options: Options): Promise<void> {
  const { duplicates: duplicated, late, lost: dropped, seed, latency: latencyMs, ...rest } = options;
  const isNoisy = duplicated + late + dropped > 0;
  await processes.simulate({
    ...{ kind, url: serverUrl(), ...rest },
    ...(isNoisy && { noise: { seed, duplicated, late, lateByMs: LATE_BY_MS, dropped } }),
    ...(latencyMs !== undefined && { latencyMs }),
  });
}

const LATE_BY_MS = 2_000;

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('must be between 0 and 1');
  return value;
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

function duration(text: string): number {
  const value = durationMs(text);
  if (value === undefined) throw new InvalidArgumentError(`must be ${DURATION_RULE}`);
  return value;
}

function instant(text: string): number {
  const value = Date.parse(text);
  if (Number.isNaN(value)) throw new InvalidArgumentError('must be an instant such as 2026-12-01T08:00:00Z');
  return value;
}
