/**
 * What a business keeps in its ERP, in words no vendor owns. Amounts are integers in minor units with their currency,
 * quantities integers, instants ISO-8601 UTC, business dates local ISO dates (the tenant's zone). Records are never
 * removed: they change their status. Fields that an ERP adds are left out. Names, e-mail addresses and telephone
 * numbers are personal data.
 */
import { z } from 'zod';
import { ConversationIdSchema } from './ids.ts';
import { Instant } from './values.ts';

/** The ERP's own id of a record. Unique per kind; opaque; never personal data. */
export const ErpId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: 'must be letters, digits and . _ -, 1 to 64 characters, beginning with a letter or digit',
});
/** A day of the business, such as 2026-11-30: no time and no zone. */
export const LocalDate = z.iso.date({ error: 'must be a date such as 2026-11-30' });
/** `amount` in minor units (cents): 1999 BRL is R$ 19,99. */
export const Money = z.object({ amount: z.int(), currency: z.string().regex(/^[A-Z]{3}$/) });
export type Money = z.infer<typeof Money>;

const name = z.string().min(1).max(200);
const quantity = z.int().min(0);
const some = z.int().min(1);

/** On every record. `version` is opaque and differs after every change: what a precondition names. */
const kept = { id: ErpId, version: z.string().min(1).max(100), changedAt: Instant };

export const Product = z.object({ ...kept, sku: name, name, price: Money, cost: Money, isActive: z.boolean() });
/**
 * What there is of one product; its id is the product's. A sale, a receipt, an order placed or cancelled at a supplier
 * each change its version.
 */
export const StockLevel = z.object({
  ...kept,
  productId: ErpId,
  /** On the shelf, `reserved` included. */
  onHand: quantity,
  /** Sold and not yet shipped. */
  reserved: quantity,
  /** In purchase orders that are open. */
  onOrder: quantity,
});
export const Supplier = z.object({
  ...kept,
  name,
  email: z.string().max(200).nullable(),
  conversationId: ConversationIdSchema.nullable(),
});
/** One product as one supplier sells it. */
export const Offer = z.object({
  ...kept,
  supplierId: ErpId,
  productId: ErpId,
  unitCost: Money,
  /** Nothing less is delivered. */
  minQuantity: some,
  /** Only whole multiples of this are delivered. */
  packSize: some,
  /** Calendar days from the order to the receipt, as the supplier promises; what it took stands in its purchase orders. */
  leadTimeDays: z.int().min(0),
});
export const Customer = z.object({
  ...kept,
  name,
  email: z.string().max(200).nullable(),
  phone: z.string().max(40).nullable(),
  conversationId: ConversationIdSchema.nullable(),
});
/** A sale. */
export const Order = z.object({
  ...kept,
  number: name,
  customerId: ErpId,
  status: z.enum(['open', 'shipped', 'delivered', 'cancelled']),
  placedAt: Instant,
  /** What the customer was told. */
  promisedOn: LocalDate,
  lines: z
    .array(z.object({ productId: ErpId, quantity: some, unitPrice: Money }))
    .min(1)
    .max(200),
  total: Money,
});
/** What a customer owes. Open while `paid` is below `total`. */
export const Invoice = z.object({
  ...kept,
  number: name,
  customerId: ErpId,
  orderId: ErpId.nullable(),
  status: z.enum(['open', 'paid', 'void']),
  issuedOn: LocalDate,
  dueOn: LocalDate,
  total: Money,
  /** The sum of what came in. */
  paid: Money,
  /** The latest promise to pay; null: none was made. */
  promise: z.object({ on: LocalDate, amount: Money, madeAt: Instant }).nullable(),
  remindersSent: quantity,
  lastRemindedAt: Instant.nullable(),
  /** The customer disputes it: no reminder is due until people have settled that. */
  isDisputed: z.boolean(),
});
/** Money in (`from` a customer) or out (`to` a supplier). */
export const Payment = z.object({
  ...kept,
  direction: z.enum(['in', 'out']),
  customerId: ErpId.nullable(),
  supplierId: ErpId.nullable(),
  /** Of an incoming one: what it pays. */
  invoiceId: ErpId.nullable(),
  /** Of an outgoing one: what it pays. */
  purchaseOrderId: ErpId.nullable(),
  amount: Money,
  /** The day it was, or will be, booked. */
  bookedOn: LocalDate,
  /** As somebody typed it: the supplier's bill, the customer's transfer. */
  reference: z.string().max(200),
  /** `scheduled` and `held` have not left us; `paid` has; a `refund_requested` one is being asked back. */
  status: z.enum(['scheduled', 'held', 'paid', 'refund_requested', 'refunded', 'cancelled']),
});
export const Shipment = z.object({
  ...kept,
  orderId: ErpId,
  customerId: ErpId,
  status: z.enum(['preparing', 'in_transit', 'delivered', 'lost', 'cancelled']),
  carrier: name,
  /** What the customer was told, last. */
  promisedOn: LocalDate,
  /** The carrier's own forecast; null: it gives none. */
  expectedOn: LocalDate.nullable(),
  shippedAt: Instant.nullable(),
  deliveredAt: Instant.nullable(),
  /** Of the carrier's last news; null: none. */
  lastScanAt: Instant.nullable(),
  /** The shipment this one was sent in place of. */
  replaces: ErpId.nullable(),
});
export const PurchaseOrder = z.object({
  ...kept,
  number: name,
  supplierId: ErpId,
  status: z.enum(['open', 'received', 'cancelled']),
  orderedAt: Instant,
  expectedOn: LocalDate,
  receivedAt: Instant.nullable(),
  lines: z
    .array(z.object({ productId: ErpId, quantity: some, unitCost: Money }))
    .min(1)
    .max(200),
  total: Money,
  note: z.string().max(1_000).nullable(),
});
export const Deal = z.object({
  ...kept,
  title: name,
  customerId: ErpId,
  stage: z.enum(['new', 'qualified', 'proposal', 'negotiation', 'won', 'lost']),
  value: Money,
  openedAt: Instant,
  /** Of either side: a message, a call, a change of stage. */
  lastActivityAt: Instant,
  /** Somebody has planned the next step for that day. */
  nextStepOn: LocalDate.nullable(),
  conversationId: ConversationIdSchema.nullable(),
});

/** By kind. Adding one: a member here, its filters below, and what the demo ERP's generator makes of it. */
export const ERP_RECORDS = {
  product: Product,
  stock: StockLevel,
  supplier: Supplier,
  offer: Offer,
  customer: Customer,
  order: Order,
  invoice: Invoice,
  payment: Payment,
  shipment: Shipment,
  purchaseOrder: PurchaseOrder,
  deal: Deal,
} as const;
export type ErpKind = keyof typeof ERP_RECORDS;
export type ErpRecord<Kind extends ErpKind = ErpKind> = { [K in Kind]: z.infer<(typeof ERP_RECORDS)[K]> }[Kind];
export const ErpKindSchema = z.enum(Object.keys(ERP_RECORDS) as [ErpKind, ...ErpKind[]]);

/**
 * By which fields a kind's list can be narrowed; equality, all of them together. `productId` of an order or a purchase
 * order means any of its lines.
 */
export const ERP_FILTERS = {
  product: [],
  stock: ['productId'],
  supplier: [],
  offer: ['productId', 'supplierId'],
  customer: ['conversationId'],
  order: ['customerId', 'productId', 'status'],
  invoice: ['customerId', 'orderId', 'status'],
  payment: ['customerId', 'supplierId', 'invoiceId', 'purchaseOrderId', 'status'],
  shipment: ['orderId', 'customerId', 'status'],
  purchaseOrder: ['supplierId', 'productId', 'status'],
  deal: ['customerId', 'stage'],
} as const satisfies Record<ErpKind, readonly string[]>;
export type ErpWhere<Kind extends ErpKind> = Readonly<Partial<Record<(typeof ERP_FILTERS)[Kind][number], string>>>;
