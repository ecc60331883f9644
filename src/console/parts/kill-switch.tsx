/** Switch a tenant, an agent or a channel off: no tick and no send that it covers, at once, without a worker. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useServer } from '../api/context.ts';
import type { Switch } from '../api/shapes.ts';
import { Instant } from '../time/instant.tsx';
import { useSay } from '../words/words.ts';
import { Dialog } from './dialog.tsx';
import { Mark } from './status.tsx';
import { useDoing } from './use-doing.ts';

export interface KillSwitchProps {
  readonly covers: Pick<Switch, 'scope' | 'key'>;
  /** As people call it. */
  readonly name: string;
  /** Live runs that would fall silent, where known. */
  readonly touches?: number | undefined;
}

/** What is switched off. */
export function useSwitches() {
  const server = useServer();
  return useQuery({
    queryKey: [server.tenant, 'switches'],
    queryFn: ({ signal }) => server.switches({ signal }),
  });
}

export function KillSwitch({ covers, name, touches }: KillSwitchProps) {
  const say = useSay();
  const server = useServer();
  const mayTurn = useMay('admin');
  const { doing, run } = useDoing();
  const [asking, setAsking] = useState(false);
  const { data } = useSwitches();
  const off = data?.find(({ scope, key }) => scope === covers.scope && key === covers.key);
  return (
    <div className="bar">
      <span>
        {data === undefined ? (
          <Mark tone="still">{say('switch.unknown')}</Mark>
        ) : (
          <Mark tone={off ? 'held' : 'goal'}>{say(off ? 'switch.off' : 'switch.on')}</Mark>
        )}
        {off && (
          <span className="quiet">
            {' '}
            <Instant at={off.at} /> · {off.by}
            {off.reason !== null && ` · ${off.reason}`}
          </span>
        )}
      </span>
      {mayTurn &&
        (off ? (
          <button
            type="button"
            disabled={doing}
            onClick={() => run(async () => server.switchOn(covers), say('switch.turnedOn', { name }))}
          >
            {say('switch.turnOn')}
          </button>
        ) : (
          <button type="button" className="danger" onClick={() => setAsking(true)}>
            {say('switch.turnOff')}…
          </button>
        ))}
      {asking && (
        <Asked
          name={name}
          touches={touches}
          onClose={() => setAsking(false)}
          turnOff={(reason) => run(async () => server.switchOff(covers, reason), say('switch.turnedOff', { name }))}
        />
      )}
    </div>
  );
}

function Asked(of: {
  readonly name: string;
  readonly touches: number | undefined;
  readonly onClose: () => void;
  readonly turnOff: (reason: string) => void;
}) {
  const say = useSay();
  const [reason, setReason] = useState('');
  return (
    <Dialog title={say('switch.title', { name: of.name })} onClose={of.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          of.turnOff(reason.trim());
          of.onClose();
        }}
      >
        <p>
          {say('switch.will')} {of.touches !== undefined && say.count('switch.touches', of.touches)}
        </p>
        <label>
          {say('switch.reason')}
          <input
            name="reason"
            required
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <div className="acts">
          <button type="button" onClick={of.onClose}>
            {say('act.cancel')}
          </button>
          <button type="submit" className="danger">
            {say('switch.turnOff')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
