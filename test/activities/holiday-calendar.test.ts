import assert from 'node:assert/strict';
import { createHolidayCalendar } from '../../src/activities/holiday-calendar.ts';

describe('the calendar of holidays', () => {
  const calendar = createHolidayCalendar();

  it('knows public and bank holidays, over the turn of a year', async () => {
    const days = await calendar.between('BR', '2026-12-01', '2027-02-28');
    for (const day of ['2026-12-25', '2027-01-01', '2027-02-08', '2027-02-09']) assert.ok(days.includes(day), day);
    assert.ok(!days.includes('2026-12-24'));
  });

  it('takes an afternoon off for a working day, and a feast of several days for several', async () => {
    const germany = await calendar.between('DE', '2026-12-01', '2026-12-31');
    assert.ok(!germany.includes('2026-12-24') && germany.includes('2026-12-25'));
    const arabia = await calendar.between('SA', '2026-03-01', '2026-03-31');
    assert.deepEqual(
      arabia.filter((day) => day.startsWith('2026-03')),
      ['2026-03-19', '2026-03-20', '2026-03-21', '2026-03-22'],
    );
  });

  it('knows a part of a country by its own holidays', async () => {
    const [bavaria, berlin] = await Promise.all(
      ['DE-BY', 'DE-BE'].map((place) => calendar.between(place, '2026-11-01', '2026-11-30')),
    );
    assert.ok(bavaria?.includes('2026-11-01') && !berlin?.includes('2026-11-01'));
  });

  it('says which countries it has no calendar for, and keeps no holiday there', async () => {
    assert.deepEqual(await Promise.all(['BR', 'DE-BY', 'XX', 'DE-ZZ'].map((place) => calendar.knows(place))), [
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(await calendar.between('XX', '2026-01-01', '2026-12-31'), []);
  });
});
