// Several rights of the user at once.
import type { Access } from '../kube/cluster';
import { useAnswer } from '../kube/hooks';

export interface Rights {
  known: boolean;
  missing: Access[]; // those that the user does not have, or of which nobody could tell
}

// null: no rights are asked about.
export function useRights(accesses: Access[] | null): Rights {
  const key = JSON.stringify(accesses);
  const answer = useAnswer(
    accesses === null
      ? null
      : async (cluster) => {
          const decisions = await Promise.all(accesses.map((access) => cluster.may(access).catch(() => ({ allowed: false }))));
          return { key, missing: accesses.filter((_, place) => !decisions[place]?.allowed) };
        },
    [key],
  );
  if (accesses === null) return { known: true, missing: [] };
  // What was answered to another question says nothing.
  return answer.value?.key === key ? { known: true, missing: answer.value.missing } : { known: false, missing: accesses };
}
