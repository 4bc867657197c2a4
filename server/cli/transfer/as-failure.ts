import { TransferFailure } from '../../data/transfer/hub-calls.ts';
import { CliFailure } from '../cli-failure.ts';

/** Runs the work. A TransferFailure ends the command with its sentence. */
export async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransferFailure)
      throw new CliFailure(error.message, undefined, { cause: String(error.cause) });
    throw error;
  }
}
