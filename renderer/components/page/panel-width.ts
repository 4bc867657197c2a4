import { readStored } from '../../lib/stored.ts';

/** A kind of side panel: the key under which its width is stored, and the width before a person changes it. */
export interface PanelWidth {
  id: string;
  initial: number;
}

export const storedWidth = ({ id, initial }: PanelWidth): number => readStored(`panel.${id}`, initial);

export const PANELS = {
  operation: { id: 'operation', initial: 580 },
  record: { id: 'record', initial: 480 },
  sync: { id: 'sync', initial: 440 },
  incoming: { id: 'incoming-webhook', initial: 604 },
  playground: { id: 'playground', initial: 560 },
  outgoing: { id: 'outgoing-webhook', initial: 604 },
} as const satisfies Record<string, PanelWidth>;
