// Manifests that a user brings: YAML of several documents, within bounds.

export const MOST_BYTES = 3 * 1024 * 1024;
export const MOST_MANIFESTS = 1_000;
const MOST_DEPTH = 256;

export type ManifestProblem =
  | { kind: 'tooLarge' }
  | { kind: 'tooMany'; count: number }
  | { kind: 'tooDeep' }
  | { kind: 'empty' }
  | { kind: 'notYaml'; message: string }
  | { kind: 'noObject'; document: number };

export type Manifests = { objects: Record<string, unknown>[] } | { problem: ManifestProblem };

class Beyond extends Error {
  constructor(readonly problem: ManifestProblem) {
    super(problem.kind);
  }
}

// Counts what `value` is as JSON, each alias anew, and ends as soon as that is too much: a small text may stand
// for a huge value.
function measure(value: unknown, left: number, depth: number): number {
  if (depth > MOST_DEPTH) throw new Beyond({ kind: 'tooDeep' });
  if (left < 0) throw new Beyond({ kind: 'tooLarge' });
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 4;
  let rest = left - 2;
  for (const [key, member] of Object.entries(value)) rest = measure(member, Array.isArray(value) ? rest - 1 : rest - key.length - 4, depth + 1);
  return rest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// A List stands for its items.
function itemsOf(object: Record<string, unknown>): unknown[] {
  return object.apiVersion === 'v1' && object.kind === 'List' && Array.isArray(object.items) ? object.items : [object];
}

export async function parseManifests(text: string): Promise<Manifests> {
  if (new Blob([text]).size > MOST_BYTES) return { problem: { kind: 'tooLarge' } };
  const { loadAll, CORE_SCHEMA } = await import('js-yaml');
  try {
    const documents: unknown[] = loadAll(text, undefined, { schema: CORE_SCHEMA });
    const objects: Record<string, unknown>[] = [];
    let left = MOST_BYTES;
    documents.forEach((value, place) => {
      if (value === null || value === undefined) return;
      left = measure(value, left, 0);
      for (const item of isObject(value) ? itemsOf(value) : [value]) {
        if (!isObject(item) || typeof item.apiVersion !== 'string' || typeof item.kind !== 'string') throw new Beyond({ kind: 'noObject', document: place + 1 });
        objects.push(item);
      }
    });
    if (left < 0) return { problem: { kind: 'tooLarge' } };
    if (objects.length === 0) return { problem: { kind: 'empty' } };
    if (objects.length > MOST_MANIFESTS) return { problem: { kind: 'tooMany', count: objects.length } };
    return { objects };
  } catch (thrown) {
    if (thrown instanceof Beyond) return { problem: thrown.problem };
    return { problem: { kind: 'notYaml', message: thrown instanceof Error ? thrown.message : String(thrown) } };
  }
}
