/** The keys, shown by `?`. */
import { Dialog } from '../parts/dialog.tsx';
import { useSay, type WordKey } from '../words/words.ts';

const KEYS: readonly (readonly [string, WordKey])[] = [
  ['j k', 'keys.move'],
  ['Enter', 'keys.open'],
  ['x', 'keys.select'],
  ['a', 'keys.selected'],
  ['t', 'keys.takeover'],
  ['p', 'keys.pause'],
  ['/', 'keys.search'],
  ['Esc', 'keys.close'],
  ['?', 'keys.help'],
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const say = useSay();
  return (
    <Dialog title={say('keys.title')} onClose={onClose}>
      <table className="table">
        <tbody>
          {KEYS.map(([keys, words]) => (
            <tr key={keys}>
              <th scope="row">
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{say(words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="acts">
        <button type="button" className="main" onClick={onClose}>
          {say('act.close')}
        </button>
      </div>
    </Dialog>
  );
}
