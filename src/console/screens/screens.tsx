/** The screens by name, in the order of the navigation. */
import type { ComponentType } from 'react';
import type { Place } from '../router.tsx';
import { RunsScreen } from '../runs/runs-screen.tsx';
import { AgentsScreen } from './agents/agents-screen.tsx';
import { AuditScreen } from './audit/audit-screen.tsx';
import { CalendarScreen } from './calendar/calendar-screen.tsx';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { HealthScreen } from './health/health-screen.tsx';
import { InvestigationsScreen } from './investigations/investigations-screen.tsx';
import { OutcomesScreen } from './outcomes/outcomes-screen.tsx';

export interface ScreenProps {
  readonly place: Place;
}

export const SCREENS = {
  runs: { Show: RunsScreen },
  outcomes: { Show: OutcomesScreen },
  calendar: { Show: CalendarScreen },
  investigations: { Show: InvestigationsScreen },
  deliveries: { Show: DeliveriesScreen },
  health: { Show: HealthScreen },
  agents: { Show: AgentsScreen },
  audit: { Show: AuditScreen },
} as const satisfies Readonly<Record<string, { readonly Show: ComponentType<ScreenProps> }>>;

export type Screen = keyof typeof SCREENS;
