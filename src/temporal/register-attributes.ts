/** Search attributes are registered once per namespace: without them no run could start, so readiness asks for them. */
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

/** The wire's numbers of the types we use (`temporal.api.enums.v1.IndexedValueType`). */
const WIRE_TYPES: Readonly<Record<(typeof SEARCH_ATTRIBUTES)[number]['type'], number>> = { KEYWORD: 2, DATETIME: 6 };
const CLI_TYPES: Readonly<Record<(typeof SEARCH_ATTRIBUTES)[number]['type'], string>> = {
  KEYWORD: 'Keyword',
  DATETIME: 'Datetime',
};

type OperatorConnection = Pick<Connection, 'operatorService'>;
interface Where {
  readonly connection: OperatorConnection;
  readonly namespace: string;
}

/** Names of ours that the namespace lacks, or has with another type. */
export async function missingSearchAttributes({ connection, namespace }: Where): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter(
    ({ name, type }) => (customAttributes[name] as number | undefined) !== WIRE_TYPES[type],
  ).map(({ name }) => name);
}

/**
 * Registers what is missing. Safe to call from several processes at once: whoever comes second finds it done.
 * @throws what the server said, when the credentials may not do this: then {@link registrationCommands} is for a person.
 */
export async function ensureSearchAttributes({ connection, namespace }: Where): Promise<void> {
  const missing = await missingSearchAttributes({ connection, namespace });
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    SEARCH_ATTRIBUTES.filter(({ name }) => missing.includes(name)).map(({ name, type }) => [name, WIRE_TYPES[type]]),
  );
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if ((await missingSearchAttributes({ connection, namespace })).length > 0) throw error;
  }
}

/** What an operator with more rights than ours types. */
export function registrationCommands({
  address,
  namespace,
  missing,
}: {
  address: string;
  namespace: string;
  missing: readonly string[];
}): string[] {
  return SEARCH_ATTRIBUTES.filter(({ name }) => missing.includes(name)).map(
    ({ name, type }) =>
      `temporal operator search-attribute create --address ${address} --namespace ${namespace} --name ${name} --type ${CLI_TYPES[type]}`,
  );
}
