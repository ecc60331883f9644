/** How a trouble, or what only looks like one, gets into a business. */
import type { Catalogue } from '../catalogue.ts';
import type { Draft } from '../draft.ts';
import type { ErpKind } from '../../../../domain/schemas/erp-records.ts';
import type { Label, Trouble } from '../business.ts';

/** `n` counts up from 0, so that every way of making one gets its turn. */
export type Plant = (draft: Draft, catalogue: Catalogue, n: number) => Omit<Label, 'trouble' | 'kind'> | undefined;

export interface Planting {
  readonly trouble: Trouble;
  readonly kind: ErpKind;
  /** Undefined when the business holds nothing it could be made of. */
  readonly plant: Plant;
  readonly nearMiss: Plant;
}
