/** Hands a text to the person as a file. */
export function saveText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the text by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
