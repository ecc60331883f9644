import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { endOfSpan, isWithinDaySpan, nextLocal, WORKING_DAYS } from '../../src/domain/local-time.ts';

const ZONES = [
  'America/New_York',
  'America/Santiago',
  'America/Sao_Paulo',
  'Europe/Lisbon',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'UTC',
];
const zone = fc.constantFrom(...ZONES);
const instant = fc
  .date({ min: new Date('2005-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const time = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);

describe('nextLocal', () => {
  it('takes the first instant after the gap for a time that does not exist', () => {
    assert.equal(nextLocal('02:30', 'America/New_York', { after: '2026-03-08T05:00:00Z' }), '2026-03-08T07:00:00.000Z');
    assert.equal(nextLocal('00:00', 'America/Santiago', { after: '2026-09-06T00:00:00Z' }), '2026-09-06T04:00:00.000Z');
  });

  it('takes the first of two for a time that exists twice', () => {
    assert.equal(nextLocal('01:30', 'America/New_York', { after: '2026-11-01T04:00:00Z' }), '2026-11-01T05:30:00.000Z');
    assert.equal(nextLocal('01:30', 'America/New_York', { after: '2026-11-01T05:30:00Z' }), '2026-11-02T06:30:00.000Z');
  });

  for (const [wallTime, name] of [
    ['02:30', 'America/New_York'],
    ['00:00', 'America/Santiago'],
  ] as const)
    it(`happens once on every local day of a year: ${wallTime} in ${name}`, () => {
      const days = new Set<string>();
      let at = '2026-01-01T12:00:00Z';
      for (let n = 0; n < 365; n++) {
        at = nextLocal(wallTime, name, { after: at });
        days.add(Temporal.Instant.from(at).toZonedDateTimeISO(name).toPlainDate().toString());
      }
      assert.equal(days.size, 365);
      assert.equal(Temporal.Instant.from(at).toZonedDateTimeISO(name).toPlainDate().year, 2027);
    });

  it('skips a date that its zone skipped', () => {
    assert.equal(nextLocal('10:00', 'Pacific/Apia', { after: '2011-12-29T21:00:00Z' }), '2011-12-30T20:00:00.000Z');
  });

  it('keeps to the weekdays', () => {
    assert.equal(
      nextLocal('10:00', 'UTC', { after: '2026-11-27T10:00:00Z', weekdays: WORKING_DAYS }),
      '2026-11-30T10:00:00.000Z',
    );
    assert.throws(() => nextLocal('10:00', 'UTC', { weekdays: [] }), RangeError);
  });

  it('is strictly later, at most two days away, and shows the time unless that does not exist', () => {
    fc.assert(
      fc.property(time, zone, instant, (wallTime, name, after) => {
        const next = nextLocal(wallTime, name, { after });
        const wait = Date.parse(next) - Date.parse(after);
        assert.ok(wait > 0 && wait <= 50 * 3_600_000, `${wait}`);
        const shown = Temporal.Instant.from(next).toZonedDateTimeISO(name);
        if (shown.toPlainTime().toString().slice(0, 5) !== wallTime)
          assert.ok(
            shown.subtract({ nanoseconds: 1 }).getTimeZoneTransition('next')?.equals(shown),
            `${shown.toString()} is no change of clocks`,
          );
      }),
    );
  });
});

describe('a span of the day', () => {
  const quiet = { from: '21:00', to: '08:00' };

  it('holds its beginning, not its end, over midnight', () => {
    assert.equal(isWithinDaySpan('2026-06-01T21:00:00Z', quiet, 'UTC'), true);
    assert.equal(isWithinDaySpan('2026-06-02T07:59:59.999Z', quiet, 'UTC'), true);
    assert.equal(isWithinDaySpan('2026-06-02T08:00:00Z', quiet, 'UTC'), false);
    assert.equal(isWithinDaySpan('2026-06-02T12:00:00Z', { from: '09:00', to: '09:00' }, 'UTC'), false);
  });

  it('is read in the zone it is asked for', () => {
    assert.equal(isWithinDaySpan('2026-06-02T10:00:00Z', quiet, 'America/Sao_Paulo'), true);
    assert.equal(endOfSpan('2026-06-02T10:00:00Z', quiet, 'America/Sao_Paulo'), '2026-06-02T11:00:00.000Z');
  });

  it('is outside itself at its end, whatever the clocks do', () => {
    fc.assert(
      fc.property(time, time, zone, instant, (from, to, name, at) => {
        if (!isWithinDaySpan(at, { from, to }, name)) return;
        const end = endOfSpan(at, { from, to }, name);
        assert.ok(Date.parse(end) > Date.parse(at));
        assert.equal(isWithinDaySpan(end, { from, to }, name), false);
      }),
    );
  });
});
