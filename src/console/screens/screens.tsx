/** What each screen shows. Runs is what people open; the others are fetched when they are wanted. */
import { lazy, type ComponentType } from 'react';
import type { Screen } from '../addresses.ts';
import type { Place } from '../router.tsx';
import { RunsScreen } from '../runs/runs-screen.tsx';

export interface ScreenProps {
  readonly place: Place;
}
type Show = ComponentType<ScreenProps>;

const later = (read: () => Promise<Show>): Show => lazy(async () => ({ default: await read() }));

export const SHOW: Readonly<Record<Screen, Show>> = {
  runs: RunsScreen,
  outcomes: later(async () => (await import('./outcomes/outcomes-screen.tsx')).OutcomesScreen),
  calendar: later(async () => (await import('./calendar/calendar-screen.tsx')).CalendarScreen),
  investigations: later(async () => (await import('./investigations/investigations-screen.tsx')).InvestigationsScreen),
  deliveries: later(async () => (await import('./deliveries/deliveries-screen.tsx')).DeliveriesScreen),
  health: later(async () => (await import('./health/health-screen.tsx')).HealthScreen),
  agents: later(async () => (await import('./agents/agents-screen.tsx')).AgentsScreen),
  audit: later(async () => (await import('./audit/audit-screen.tsx')).AuditScreen),
};
