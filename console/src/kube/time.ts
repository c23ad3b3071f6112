// Times as kubectl prints ages. Pure functions.

const units: [number, string][] = [
  [365 * 24 * 3600, 'y'],
  [24 * 3600, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

// "5m", "3d", "2y": how long ago `timestamp` was at `now` (milliseconds).
export function ago(timestamp: string | undefined, now: number): string {
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  if (Number.isNaN(at)) return '-';
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  const [size, name] = units.find(([each]) => seconds >= each) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${name}`;
}
