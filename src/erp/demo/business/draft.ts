/** A business while it is being made: records by kind and id, changed in place. */
import type { ErpKind, ErpRecord } from '../../../domain/schemas/erp-records.ts';
import type { AnyRecord } from '../../../domain/schemas/erp-writes.ts';
import { dayAfter } from '../../../domain/days.ts';
import { instantOn } from './days.ts';
import type { Label } from './business.ts';
import type { Random } from './random.ts';

/** A record without what the books themselves add. */
export type Fields<Kind extends ErpKind> = Omit<ErpRecord<Kind>, 'version' | 'changedAt'>;

export class Draft {
  readonly random: Random;
  readonly currency: string;
  /** Local ISO dates; `until` is today. */
  readonly from: string;
  readonly until: string;
  readonly troubles: Label[] = [];
  readonly nearMisses: Label[] = [];
  private readonly kinds = new Map<ErpKind, Map<string, AnyRecord>>();
  private readonly numbers = new Map<ErpKind, number>();

  constructor(options: Pick<Draft, 'random' | 'currency' | 'from' | 'until'>) {
    this.random = options.random;
    this.currency = options.currency;
    this.from = options.from;
    this.until = options.until;
  }

  /** The last instant of the story. */
  get end(): string {
    return instantOn(this.until, 299);
  }

  today(days: number): string {
    return dayAfter(this.until, days);
  }

  money(amount: number): { amount: number; currency: string } {
    return { amount: Math.round(amount), currency: this.currency };
  }

  /** `order-000042`. */
  nextId(kind: ErpKind): string {
    const number = (this.numbers.get(kind) ?? 0) + 1;
    this.numbers.set(kind, number);
    return `${kind.toLowerCase()}-${String(number).padStart(5, '0')}`;
  }

  /** New, or in place of the one with this id. Nothing happens after the end. */
  put<Kind extends ErpKind>(kind: Kind, at: string, fields: Fields<Kind>): ErpRecord<Kind> {
    const changedAt = at > this.end ? this.end : at;
    const record = { ...fields, version: '1', changedAt } as unknown as ErpRecord<Kind>;
    const shelf = this.kinds.get(kind) ?? new Map<string, AnyRecord>();
    this.kinds.set(kind, shelf);
    shelf.set(record.id, { kind, record } as AnyRecord);
    return record;
  }

  change<Kind extends ErpKind>(kind: Kind, id: string, at: string, fields: Partial<Fields<Kind>>): ErpRecord<Kind> {
    return this.put(kind, at, { ...this.get(kind, id), ...fields });
  }

  get<Kind extends ErpKind>(kind: Kind, id: string): ErpRecord<Kind> {
    const found = this.kinds.get(kind)?.get(id)?.record;
    if (found === undefined) throw new RangeError(`there is no ${kind} ${id}`);
    return found as ErpRecord<Kind>;
  }

  of<Kind extends ErpKind>(kind: Kind): ErpRecord<Kind>[] {
    return [...(this.kinds.get(kind)?.values() ?? [])].map(({ record }) => record as ErpRecord<Kind>);
  }

  /** In the order of their last change. */
  records(): AnyRecord[] {
    const all = [...this.kinds.values()].flatMap((shelf) => [...shelf.values()]);
    return all.sort((a, b) =>
      a.record.changedAt < b.record.changedAt ? -1 : a.record.changedAt > b.record.changedAt ? 1 : 0,
    );
  }
}
