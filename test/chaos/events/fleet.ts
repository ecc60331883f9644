/** Servers and workers that come back whenever they are killed, as under a supervisor. */
import type { Running } from '../../support/attache.ts';
import type { Deployment } from '../../support/processes.ts';
import { until } from '../../support/until.ts';
import type { Victim } from './plan.ts';

interface Process {
  readonly url?: string;
  readonly process: Running;
}

/** One place in the fleet: at most one process, and another as soon as it is gone. */
class Place {
  current: Process | undefined;
  private readonly start: () => Promise<Process>;
  private readonly ended: (output: string) => void;
  private isStopping = false;

  constructor(start: () => Promise<Process>, ended: (output: string) => void) {
    this.start = start;
    this.ended = ended;
  }

  async run(): Promise<void> {
    while (!this.isStopping) {
      // It may end while it starts, with Temporal away: then another one is started.
      const started = await this.start().catch((error: unknown) => this.failed(error));
      if (started === undefined) continue;
      this.current = started;
      const { output } = await started.process.exited;
      this.current = undefined;
      this.ended(output);
    }
  }

  private failed(error: unknown): undefined {
    console.error(`a process did not start: ${String(error)}`);
    this.ended(String(error));
  }

  /** The process, once it serves. */
  serving(): Promise<Process> {
    return until('a process to serve', () => this.current);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.current?.process.stop();
  }
}

export class Fleet {
  readonly kills: Record<Victim, number> = { server: 0, worker: 0, temporal: 0 };
  /** All that processes said which have ended. */
  readonly said: string[] = [];
  private readonly deployment: Deployment;
  private readonly servers: readonly Place[];
  private readonly workers: readonly Place[];
  private readonly lives: Promise<void>[];

  constructor(deployment: Deployment) {
    this.deployment = deployment;
    const ended = (output: string) => void this.said.push(output);
    const places = (count: number, start: () => Promise<Process>) =>
      Array.from({ length: count }, () => new Place(start, ended));
    this.servers = places(2, async () => deployment.server());
    this.workers = places(2, async () => ({ process: await deployment.worker() }));
    this.lives = [...this.servers, ...this.workers].map(async (place) => place.run());
  }

  living(): readonly string[] {
    return this.servers.flatMap(({ current }) => current?.url ?? []);
  }

  async complete(): Promise<void> {
    await Promise.all([...this.servers, ...this.workers].map(async (place) => place.serving()));
  }

  /** kill -9 of the next in turn; a process that is only starting is waited for. */
  async kill(victim: Victim): Promise<void> {
    if (victim === 'temporal') {
      await this.deployment.killTemporal();
      await this.deployment.restartTemporal();
    } else {
      const places = victim === 'server' ? this.servers : this.workers;
      const place = places[this.kills[victim] % places.length];
      await (await place?.serving())?.process.kill();
    }
    this.kills[victim] += 1;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers, ...this.workers].map(async (place) => place.stop()));
    await Promise.all(this.lives);
  }
}
