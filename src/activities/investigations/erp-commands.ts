/** Actions that an ERP carries out, as its commands; and what undoes each. */
import type { Action } from '../../domain/schemas/investigations.ts';
import type { AnyRecord, ErpCommand } from '../../domain/schemas/erp-writes.ts';
import type { AcceptedOffer } from '../../workflows/investigation-types.ts';

const REASON_OF_UNDOING = 'a later step of the same proposal failed';

/** Null: no ERP does this. */
export function commandOf(action: Action, offer: AcceptedOffer | undefined): ErpCommand | null {
  switch (action.kind) {
    case 'purchaseOrder.create':
      return orderOf(action, offer);
    case 'payment.hold':
      return { kind: 'holdPayment', paymentId: action.paymentId, reason: action.reason };
    case 'payment.refund':
      return { kind: 'requestRefund', paymentId: action.paymentId, reason: action.reason };
    case 'reminder.send':
      return { kind: 'sendReminder', invoiceId: action.invoiceId, text: action.text };
    case 'shipment.promise': {
      const { shipmentId, promisedOn, reason } = action;
      return { kind: 'updatePromisedDate', shipmentId, promisedOn, reason };
    }
    case 'shipment.reorder': {
      const { shipmentId, promisedOn, reason } = action;
      return { kind: 'reorderShipment', shipmentId, promisedOn, reason };
    }
    case 'customer.notify':
    case 'agent.attach':
    case 'suppliers.ask':
    case 'person.confirm':
      return null;
  }
}

/** `reference`: what the act answered. Null: it cannot be undone in an ERP. */
export function undoingOf(action: Action, reference: string): ErpCommand | null {
  const reason = REASON_OF_UNDOING;
  switch (action.kind) {
    case 'purchaseOrder.create':
      return { kind: 'cancelPurchaseOrder', purchaseOrderId: reference, reason };
    case 'payment.hold':
      return { kind: 'releasePayment', paymentId: action.paymentId, reason };
    case 'payment.refund':
      return { kind: 'withdrawRefundRequest', paymentId: action.paymentId, reason };
    case 'shipment.promise':
      return { kind: 'updatePromisedDate', shipmentId: action.shipmentId, promisedOn: action.before, reason };
    case 'shipment.reorder':
      return { kind: 'cancelShipment', shipmentId: reference, reason };
    case 'reminder.send':
    case 'customer.notify':
    case 'agent.attach':
    case 'suppliers.ask':
    case 'person.confirm':
      return null;
  }
}

/** What the ERP calls it. */
export function referenceOf({ record }: AnyRecord): string {
  return record.id;
}

function orderOf(
  { supplierId, lines, expectedOn, note }: Extract<Action, { kind: 'purchaseOrder.create' }>,
  offer: AcceptedOffer | undefined,
): ErpCommand {
  return {
    kind: 'createPurchaseOrder',
    supplierId: offer?.supplierId ?? supplierId ?? '',
    lines: lines.map((line) => (offer === undefined ? line : { ...line, unitCost: offer.unitCost })),
    expectedOn: offer?.deliverOn ?? expectedOn,
    note,
  };
}
