import { join } from 'node:path';
import type { Resources } from '../../../server/resources.ts';
import { Machine, type Trace } from '../machine.ts';
import { Random } from '../seams/random.ts';
import { realFiles, SimulatedFiles } from '../seams/simulated-files.ts';
import { setKeychainMachine } from '../seams/simulated-keychain.ts';
import { SimulatedNetwork, type Weather } from '../seams/simulated-network.ts';
import { setTimersClock } from '../seams/simulated-timers.ts';
import { SimulatedWorkers } from '../seams/simulated-workers.ts';
import { setMachine } from '../seams/sqlite-driver.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { STARTED_AT } from './constants.ts';
import { Expectations } from './expectations.ts';
import type { KeptState } from './kept-state.ts';
import { type AgentSession, doubtEnds, type LimitedKey } from './key-limit-acts.ts';
import { type HubModules, SimulatedHub } from './simulated-hub.ts';
import { SimulatedProvider } from './simulated-provider.ts';
import type { MadeExport } from './transfer-acts.ts';

/** What every history begins with. */
export interface Beginning {
  /** A data folder with functions, integrations and two environments; it is copied. */
  folder: string;
  secretKey: string;
  otherKey: string;
  environments: Array<{ id: number; uuid: string; name: string }>;
  modules: HubModules;
  resources: Resources;
}

/** A promise that the hub breaks. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Everything around one hub during one history. */
export class World {
  readonly machine: Machine;
  /** Numbers for the weather: apart from those for the order, so that a shorter history has the same weather. */
  readonly weatherRandom: Random;
  readonly network: SimulatedNetwork;
  readonly files: SimulatedFiles;
  readonly workers: SimulatedWorkers;
  readonly provider: SimulatedProvider;
  readonly hub: SimulatedHub;
  readonly expected: Expectations;
  readonly beginning: Beginning;
  readonly home: string;
  /** Time that passed truly: awake or asleep, whatever the wall clock of the hub says. */
  sleptMs = 0;
  /** By how much the wall clock of the hub is ahead. */
  steppedMs = 0;
  /** The steps ahead that the hub believes: it removes things so much too early. */
  believedMs = 0;
  isLocked = false;
  /** The last call that locks the vault. */
  locking: Promise<unknown> | undefined;
  /** Files of the database were taken away: a restore is needed. */
  areFilesLost = false;
  /** The process was killed before it could save what the removed files held: nothing can be expected any more. */
  isDataLost = false;
  /** Those that the hub has acknowledged. */
  readonly backups: Array<{ name: string; state: KeptState }> = [];
  isBackingUp = false;
  /** The newest export. */
  exported: MadeExport | undefined;
  isExporting = false;
  readonly limitedKeys: LimitedKey[] = [];
  readonly sessions: AgentSession[] = [];
  /** Of the tool that agents use: a person allowed it when it may have been one of these. */
  readonly allowedVersions = new Set<number>();
  /** Somebody changed a file of the workspace. */
  isWorkspaceChanged = false;
  savedFiles = 1;
  /** Of the files that compile, or `OFF`, by path. */
  readonly newestVersions = new Map<string, number>();
  /** Somebody changed the master key, or tried to. */
  isKeyChanged = false;
  /** Sealed with a master key that was replaced: nothing of them may be left. */
  readonly oldSealedKeys = new Set<string>();
  weather: () => Weather = () => ({});
  readonly violations: string[] = [];

  constructor(seed: number, beginning: Beginning, home: string, trace?: Trace) {
    this.beginning = beginning;
    this.home = home;
    realFiles.rmSync(home, { recursive: true, force: true });
    realFiles.cpSync(beginning.folder, home, { recursive: true, preserveTimestamps: true });
    this.machine = new Machine(seed, STARTED_AT + 60_000, trace);
    this.weatherRandom = new Random(seed ^ 0x5bd1e995);
    setMachine(this.machine);
    setKeychainMachine(this.machine);
    this.network = new SimulatedNetwork(this.machine);
    setTimersClock(this.machine.clock);
    this.files = new SimulatedFiles(this.machine, home);
    this.workers = new SimulatedWorkers(this.machine, BEHAVIOURS);
    this.provider = new SimulatedProvider(this.machine, () => this.trueNow());
    this.hub = new SimulatedHub({ ...this, ...beginning });
    this.expected = new Expectations(this);
    this.workers.onRun = (change) => this.expected.noteRun(change);
    this.provider.onTokenRead = (account) => this.expected.noteToken(account);
  }

  trueNow(): number {
    return STARTED_AT + this.machine.clock.awakeMs + this.sleptMs;
  }

  violate(text: string): void {
    this.violations.push(text);
  }

  /** The end of the process; the expectations allow what it allows. */
  async kill(losesPower: boolean): Promise<void> {
    this.expected.noteEnd(losesPower);
    if (losesPower) doubtEnds(this);
    await this.hub.kill(losesPower);
    this.isLocked = false;
  }

  /** As after SIGTERM; a fault may kill the process meanwhile. */
  async stop(): Promise<void> {
    if (await this.hub.stop()) this.expected.noteStop();
    else this.expected.noteEnd(false);
    this.isLocked = false;
  }

  async start(): Promise<boolean> {
    const isOn = await this.hub.start();
    if (!isOn) {
      this.expected.noteEnd(false);
      await this.hub.kill();
    }
    return isOn;
  }

  dispose(): void {
    this.network.endProcess();
    this.files.restore();
    setTimersClock(undefined);
    realFiles.rmSync(this.home, { recursive: true, force: true });
  }

  databaseFile(): string {
    return join(this.home, 'homeport.db');
  }
}
