import { afterAll, afterEach } from 'vitest';

interface Task {
  mode: string;
  tasks?: readonly Task[];
}

/** Checks what only all tests of a file together show; says nothing when some of them were left out. */
export function afterWholeFile(check: () => void): void {
  let tasks: readonly Task[] = [];
  afterEach(({ task }) => {
    tasks = task.file.tasks;
  });
  afterAll(() => {
    if (!isPartial(tasks)) check();
  });
}

const isPartial = (tasks: readonly Task[]): boolean =>
  tasks.some((task) => task.mode === 'skip' || isPartial(task.tasks ?? []));
