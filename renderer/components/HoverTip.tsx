import { Tooltip } from '@mantine/core';
import { cloneElement, type HTMLAttributes, type ReactElement, useEffect, useState } from 'react';

const OPEN_AFTER_MS = 400;

interface HoverTipProps {
  label: string;
  position?: 'right' | 'top';
  /** The label already shows the text of the tooltip. */
  isOff?: boolean;
  /** Takes handlers of a pointer and of the focus. */
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

/** A tooltip that is made when the pointer or the keyboard reaches its element: a table has a hundred of them. */
export function HoverTip({ label, position = 'top', isOff = false, children }: HoverTipProps) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!target) return;
    const timer = setTimeout(() => setOpen(true), OPEN_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setOpen(false);
    };
  }, [target]);
  const leave = (): void => setTarget(null);
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => setTarget(event.currentTarget),
        onPointerLeave: leave,
        onFocus: (event) => event.currentTarget.matches(':focus-visible') && setTarget(event.currentTarget),
        onBlur: leave,
      })}
      {target && !isOff && <Tooltip target={target} label={label} position={position} opened={isOpen} />}
    </>
  );
}
