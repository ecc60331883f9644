/** A button that shows more buttons; closes on a choice, Escape, or when the focus leaves it. */
import { useRef, useState, type ReactNode } from 'react';

export function Menu({
  label,
  children,
  disabled = false,
  closesOnClick = true,
}: {
  readonly label: ReactNode;
  readonly children: ReactNode;
  readonly disabled?: boolean;
  readonly closesOnClick?: boolean;
}) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        close();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button ref={button} type="button" aria-expanded={open} disabled={disabled} onClick={() => setOpen(!open)}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div ref={intoView} onClick={closesOnClick ? close : undefined}>
          {children}
        </div>
      )}
    </div>
  );
}

/** It begins where its button does, or, where that would leave the window, ends where it does. */
function intoView(list: HTMLDivElement | null): void {
  if (list !== null && list.getBoundingClientRect().right > document.documentElement.clientWidth)
    list.dataset['from'] = 'right';
}
