import { useState } from 'react';
import { flushSync } from 'react-dom';

/** A menu or popover whose content is loaded when it opens first. `load` imports the module of the content. */
export function useLoadedContent<Content extends object>(load: () => Promise<Content>) {
  const [content, setContent] = useState<Content>();
  const [isOpen, setOpen] = useState(false);
  const open = async (): Promise<void> => {
    const loaded = await load();
    // Where the focus was is noted, and the focus moved, only if the content is there before it opens.
    flushSync(() => setContent(loaded));
    setOpen(true);
  };
  return { content, isOpen, setOpen: (next: boolean): void => (next ? void open() : setOpen(false)) };
}
