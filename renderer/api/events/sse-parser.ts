export interface ServerEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Turns chunks of a `text/event-stream` into events; an incomplete event waits for the next chunk. */
export class SseParser {
  #rest = '';

  push(chunk: string): ServerEvent[] {
    const blocks = (this.#rest + chunk).replace(/\r\n?/g, '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(parseBlock).filter((event) => event !== undefined);
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, '');
    const name = line.slice(0, colon);
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : undefined;
}
