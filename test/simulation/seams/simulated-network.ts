import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';
import type { Machine } from '../machine.ts';

// biome-ignore lint/suspicious/noExplicitAny: overloaded functions of Node
type Call = (...args: any[]) => any;

type Listener = net.Server & { simulatedPort?: number; connectionsCheckingInterval?: number };

const MAX_TIMER_MS = 2_147_483_647;

/** How the network treats a new connection to a port. */
export interface Weather {
  refuses?: boolean;
  /** The connection breaks after so many chunks, in both directions together. */
  breaksAfter?: number;
}

/**
 * A network inside of this process: `net.connect` and `Server.listen` without sockets. HTTP is that of Node and undici;
 * the machine decides when each chunk arrives.
 */
export class SimulatedNetwork {
  readonly #machine: Machine;
  readonly #servers = new Map<number, net.Server>();
  /** Also those of other addresses with the same port. */
  readonly #listening = new Set<Listener>();
  readonly #open = new Set<End>();
  #nextPort = 20_000;
  /** Asked for each new connection. */
  weather: (port: number) => Weather = () => ({});

  constructor(machine: Machine) {
    this.#machine = machine;
    const network = this;
    const server = net.Server.prototype as unknown as Record<string, Call>;
    server['listen'] = function listen(this: net.Server, ...args) {
      const callback = args.find((arg) => typeof arg === 'function') as (() => void) | undefined;
      const [port, host] = args as [number, string];
      return network.#listen(this, port, host, callback);
    };
    server['close'] = function close(this: net.Server, callback?: () => void) {
      network.#close(this, callback);
      return this;
    };
    server['address'] = function address(this: Listener) {
      return { address: '127.0.0.1', family: 'IPv4', port: this.simulatedPort };
    };
    const connect: Call = (options: { port: number | string }) => network.connect(Number(options.port));
    Object.assign(net, { connect, createConnection: connect });
    Object.assign(dns, {
      lookup: (_: string, __: unknown, callback: Call) =>
        process.nextTick(callback, null, [{ address: '203.0.113.7', family: 4 }]),
    });
    syncBuiltinESMExports();
  }

  connect(port: number): End {
    const weather = this.weather(port);
    const [near, far] = End.pair(this.#machine, port, weather, (end) => this.#open.delete(end));
    // Also before it is connected: the end of the process ends it.
    this.#open.add(near).add(far);
    this.#machine.later(near, () => {
      const server = this.#servers.get(port);
      if (!server || weather.refuses) {
        near.destroy(
          Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), {
            code: 'ECONNREFUSED',
            syscall: 'connect',
          }),
        );
        return;
      }
      near.connected();
      far.connected();
      near.emit('connect');
      near.emit('ready');
      server.emit('connection', far);
    });
    return near;
  }

  /** The process is gone: its servers and connections, too. `keeps`: ports of others. */
  endProcess(keeps: ReadonlySet<number> = new Set()): void {
    for (const end of [...this.#open]) end.break();
    this.#open.clear();
    // An open server of Node keeps a timer, and with it everything that the server knows. Nobody hears of this end.
    for (const server of this.#listening)
      if (!keeps.has(server.simulatedPort ?? 0)) server.removeAllListeners().close();
  }

  #listen(server: Listener, asked: number, host: string, callback: (() => void) | undefined): net.Server {
    if (callback) server.once('listening', callback);
    const port = asked || this.#nextPort++;
    // One address is enough: programs that ask for the other one get the same server.
    if (host !== '::1') this.#servers.set(port, server);
    server.simulatedPort = port;
    // Node looks for slow requests by a timer that no seam reaches: it never ends.
    server.connectionsCheckingInterval = MAX_TIMER_MS;
    this.#listening.add(server);
    Object.defineProperty(server, 'listening', { value: true, configurable: true, writable: true });
    process.nextTick(() => server.emit('listening'));
    return server;
  }

  #close(server: Listener, callback: (() => void) | undefined): void {
    const port = server.simulatedPort ?? 0;
    this.#listening.delete(server);
    if (this.#servers.get(port) === server) this.#servers.delete(port);
    Object.defineProperty(server, 'listening', { value: false, configurable: true, writable: true });
    if (callback) server.once('close', callback);
    process.nextTick(() => server.emit('close'));
  }
}

/** One end of a connection, as a socket. */
class End extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly localAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly remotePort: number;
  readonly localPort: number;
  connecting = true;
  pending = true;
  timeout = 0;
  /** Called when everything that was written has arrived at the other end. */
  whenDelivered: (() => void) | undefined;
  /** Chunks on their way. */
  #waiting = 0;
  readonly #machine: Machine;
  readonly #life: { chunksLeft: number };
  readonly #onEnd: (end: End) => void;
  #other!: End;
  #isGone = false;

  static pair(machine: Machine, port: number, { breaksAfter }: Weather, onEnd: (end: End) => void): [End, End] {
    const life = { chunksLeft: breaksAfter ?? Number.POSITIVE_INFINITY };
    const near = new End(machine, 40_000, port, life, onEnd);
    const far = new End(machine, port, 40_000, life, onEnd);
    near.#other = far;
    far.#other = near;
    return [near, far];
  }

  constructor(
    machine: Machine,
    localPort: number,
    remotePort: number,
    life: { chunksLeft: number },
    onEnd: (end: End) => void,
  ) {
    super({ allowHalfOpen: false });
    this.#machine = machine;
    this.localPort = localPort;
    this.remotePort = remotePort;
    this.#life = life;
    this.#onEnd = onEnd;
    this.on('error', () => {
      // Its owner hears it, too, if there is one.
    });
  }

  connected(): void {
    this.connecting = false;
    this.pending = false;
    this.emit('simulatedConnect');
  }

  override _read(): void {
    // Chunks are pushed when they arrive.
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    if (this.connecting) {
      this.once('simulatedConnect', () => this._write(chunk, '', callback));
      return;
    }
    const other = this.#other;
    this.#waiting += 1;
    this.#machine.later(this, () => {
      this.#waiting -= 1;
      if (this.#life.chunksLeft-- <= 0) this.break();
      else if (!other.destroyed) {
        other.push(chunk);
        if (this.#waiting === 0) this.whenDelivered?.();
      }
    });
    callback();
  }

  override _final(callback: () => void): void {
    const other = this.#other;
    this.#machine.later(this, () => {
      if (!other.destroyed) other.push(null);
    });
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.#isGone) {
      this.#isGone = true;
      this.#onEnd(this);
      const other = this.#other;
      this.#machine.later(this, () => {
        if (!other.destroyed) other.destroy(reset());
      });
    }
    callback(error);
  }

  /** Both ends hear of it at once. */
  break(): void {
    this.destroy(reset());
    this.#other.destroy(reset());
  }

  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
}
