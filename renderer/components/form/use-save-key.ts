import { type RefObject, useRef } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { useCommands } from '../use-commands.ts';

/** Mod+S saves while the focus is inside the element with the returned `ref`. */
export function useSaveKey<Form extends HTMLElement>(save: () => void): RefObject<Form | null> {
  const form = useRef<Form>(null);
  useCommands([{ ...KEY_MAP.save, within: () => form.current, run: save }]);
  return form;
}
