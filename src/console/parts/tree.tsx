/** JSON as people read it: names and values, folded below the second level. */
import type { Json } from '../../domain/json.ts';

export function Tree({ value }: { readonly value: Json }) {
  return (
    <div className="tree mono">
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { readonly name?: string; readonly value: Json; readonly depth: number }) {
  const label = name === undefined ? null : <span className="name">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <>
        {label}
        {value === null ? '–' : String(value)}
      </>
    );
  const members = Object.entries(value);
  if (members.length === 0)
    return (
      <>
        {label}
        <span className="quiet">–</span>
      </>
    );
  const list = (
    <ul>
      {members.map(([key, member]) => (
        <li key={key}>
          <Node name={key} value={member ?? null} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
  if (name === undefined) return list;
  return (
    <details open={depth < 2}>
      <summary>
        {label}
        <span className="quiet">{members.length}</span>
      </summary>
      {list}
    </details>
  );
}
