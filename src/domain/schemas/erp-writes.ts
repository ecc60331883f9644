/** What may be done in an ERP, as data: one command, one answer. */
import { z } from 'zod';
import { ERP_RECORDS, ErpId, ErpKindSchema, LocalDate, Money, type ErpKind, type ErpRecord } from './erp-records.ts';

/** For people, in the ERP's own log. */
const reason = z.string().min(1).max(500);

export const ErpCommand = z.discriminatedUnion('kind', [
  /** → the purchase order. Refused: `not_offered`, `below_minimum` (also: no whole packs), `wrong_cost` when the supplier's price differs. */
  z.strictObject({
    kind: z.literal('createPurchaseOrder'),
    supplierId: ErpId,
    lines: z
      .array(z.strictObject({ productId: ErpId, quantity: z.int().min(1), unitCost: Money }))
      .min(1)
      .max(200),
    expectedOn: LocalDate,
    note: z.string().max(1_000).nullable(),
  }),
  /** → the purchase order. What undoes `createPurchaseOrder`. Refused: `wrong_status` once received. */
  z.strictObject({ kind: z.literal('cancelPurchaseOrder'), purchaseOrderId: ErpId, reason }),
  /** → the payment, `held`. Refused: `wrong_status` unless `scheduled`. */
  z.strictObject({ kind: z.literal('holdPayment'), paymentId: ErpId, reason }),
  /** → the payment, `scheduled`. What undoes `holdPayment`. */
  z.strictObject({ kind: z.literal('releasePayment'), paymentId: ErpId, reason }),
  /** → the payment, `refund_requested`. Refused: `wrong_status` unless `paid`. */
  z.strictObject({ kind: z.literal('requestRefund'), paymentId: ErpId, reason }),
  /** → the payment, `paid` again. What undoes `requestRefund`. */
  z.strictObject({ kind: z.literal('withdrawRefundRequest'), paymentId: ErpId, reason }),
  /** → the invoice: the ERP sends its own reminder by e-mail and counts it. Cannot be undone. Refused: `wrong_status` unless open. */
  z.strictObject({ kind: z.literal('sendReminder'), invoiceId: ErpId, text: z.string().min(1).max(2_000) }),
  /** → the invoice, with this promise in place of an earlier one. */
  z.strictObject({ kind: z.literal('recordPromise'), invoiceId: ErpId, on: LocalDate, amount: Money }),
  /** → the shipment, with what the customer is told now. Undone by the same with the date before. */
  z.strictObject({ kind: z.literal('updatePromisedDate'), shipmentId: ErpId, promisedOn: LocalDate, reason }),
  /** → the new shipment, which `replaces` the named one. Refused: `wrong_status` once delivered, `already_replaced`. */
  z.strictObject({ kind: z.literal('reorderShipment'), shipmentId: ErpId, promisedOn: LocalDate, reason }),
  /** → the shipment, `cancelled`. What undoes `reorderShipment`. Refused: `wrong_status` unless `preparing`. */
  z.strictObject({ kind: z.literal('cancelShipment'), shipmentId: ErpId, reason }),
]);
export type ErpCommand = z.infer<typeof ErpCommand>;
export type ErpCommandKind = ErpCommand['kind'];

/** A record as it was read: what must still be so for a write to be right. */
export const RecordVersion = z.strictObject({ kind: ErpKindSchema, id: ErpId, version: z.string().min(1).max(100) });
export type RecordVersion = z.infer<typeof RecordVersion>;

/** Names a write for ever, within one tenant: `{investigation run}:{step}`. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,300}$/, { error: 'must be 1 to 300 visible ASCII characters' });

export const REFUSALS_OF_WRITES = [
  'not_offered',
  'below_minimum',
  'wrong_cost',
  'wrong_status',
  'already_replaced',
  /** The key stands for another command: a programming error of the caller. */
  'key_reused',
  /** Any rule of the ERP that this version has no word for. */
  'other',
] as const;
export type WriteRefusal = (typeof REFUSALS_OF_WRITES)[number];

const KINDS = Object.keys(ERP_RECORDS) as ErpKind[];
/** A record that says what it is. */
export const AnyRecord = z.discriminatedUnion(
  'kind',
  KINDS.map((kind) => z.object({ kind: z.literal(kind), record: ERP_RECORDS[kind] })) as unknown as [
    z.ZodObject<{ kind: z.ZodLiteral<ErpKind>; record: z.ZodType<ErpRecord> }>,
  ],
) as unknown as z.ZodType<AnyRecord>;
export type AnyRecord = { [Kind in ErpKind]: { readonly kind: Kind; readonly record: ErpRecord<Kind> } }[ErpKind];

/** What became of a write. Only `done` is kept under the key; after any other answer, the same key may try again. */
export type ErpAnswer =
  | ErpDone
  /** Nothing was done: something of the precondition has changed. `now` is null for a record that does not exist. */
  | { readonly outcome: 'stale'; readonly changed: readonly StaleRecord[] }
  | { readonly outcome: 'not_found'; readonly kind: ErpKind; readonly id: string }
  | { readonly outcome: 'refused'; readonly reason: WriteRefusal; readonly detail: string };
/** The record as the write left it (at the first time, should the key be asked again). */
export interface ErpDone {
  readonly outcome: 'done';
  readonly result: AnyRecord;
}
export interface StaleRecord {
  readonly expected: RecordVersion;
  readonly now: AnyRecord | null;
}
