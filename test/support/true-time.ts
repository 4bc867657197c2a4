/** A clock that nobody sets: what is old is removed. */
export const trueTime = { isDoubtful: (): boolean => false };
