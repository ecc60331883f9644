/** A dialogue over the page: the browser's own, so that focus stays inside, Escape closes it and focus goes back. */
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';

export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // It is closed before it leaves the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="body">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
