/** Hertz: two short tones, the second one higher. */
const TONES = [660, 880];
const TONE_SECONDS = 0.12;
const VOLUME = 0.06;

/** A short, quiet sound. A browser plays none before the person has clicked or typed in the page. */
export async function playNotificationSound(): Promise<void> {
  const context = new AudioContext();
  const last = TONES.map((hertz, index) => {
    const tone = new OscillatorNode(context, { frequency: hertz });
    const start = context.currentTime + index * TONE_SECONDS;
    // Fades out: a tone that ends at once cracks.
    const gain = new GainNode(context, { gain: VOLUME });
    gain.gain.setValueAtTime(VOLUME, start);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + TONE_SECONDS);
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
    return tone;
  }).at(-1);
  await new Promise((resolve) => last?.addEventListener('ended', resolve));
  await context.close();
}
