import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { EVENT_TYPES, eventSchemaOf } from '../../src/domain/schemas/events.ts';
import { concernsRuns } from '../../src/domain/event-refs.ts';

const guide = (name: string) => readFileSync(new URL(`../../docs/guide/${name}`, import.meta.url), 'utf8');

describe('the guide to the API', () => {
  const events = /## Events\n(.*?)\n## /s.exec(guide('api.md'))?.[1] ?? '';

  it('tells every type of event', () => {
    const types = EVENT_TYPES.map((type) => type.replace('custom.*', 'custom.'));
    assert.deepEqual(
      types.filter((type) => !events.includes(`\`${type}\``)),
      [],
    );
  });

  it('shows events that are accepted', () => {
    const told = [...events.matchAll(/^tell '(.*?\})'$/gms)].map(([, body]) => {
      const text = (body ?? '').replaceAll(/'\$\(now\)'/g, '2026-11-29T12:00:00Z');
      return JSON.parse(text) as unknown;
    });
    assert.equal(told.length, 5);
    for (const event of told) eventSchemaOf(event).parse(event);
  });

  it('and the one to agents name what may wake a run', () => {
    const agents = guide('agents.md');
    const types = EVENT_TYPES.filter((type) => concernsRuns({ type })).map((type) => type.replace('.*', '.'));
    assert.deepEqual(
      types.filter((type) => !agents.includes(`\`${type}\``)),
      [],
    );
  });
});
