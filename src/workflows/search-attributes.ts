/** What runs can be found by in Temporal. Stored in clear: no personal data. */
import { defineSearchAttributeKey } from '@temporalio/common';

export const ATTRIBUTES = {
  tenant: defineSearchAttributeKey('AttacheTenant', 'KEYWORD'),
  agent: defineSearchAttributeKey('AttacheAgent', 'KEYWORD'),
  subject: defineSearchAttributeKey('AttacheSubject', 'KEYWORD'),
  status: defineSearchAttributeKey('AttacheStatus', 'KEYWORD'),
  nextRunAt: defineSearchAttributeKey('AttacheNextRunAt', 'DATETIME'),
} as const;
