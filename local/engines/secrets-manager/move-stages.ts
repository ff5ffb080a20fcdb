import type { SecretVersion } from './secret-store.ts'

/**
 * The versions that change when `added` gets its stages: a stage is on one version only, and what was AWSCURRENT
 * becomes AWSPREVIOUS. Source: PutSecretValue, Secrets Manager API reference.
 */
export function moveStages(existing: SecretVersion[], added: SecretVersion): SecretVersion[] {
  const current = existing.find((version) => version.stages.includes('AWSCURRENT'))
  const replaced = added.stages.includes('AWSCURRENT') ? current : undefined
  const changed = existing.flatMap((version) => {
    const taken = replaced ? [...added.stages, 'AWSPREVIOUS'] : added.stages
    const kept = version.stages.filter((stage) => !taken.includes(stage))
    const stages = version === replaced ? [...kept, 'AWSPREVIOUS'] : kept
    return stages.join() === version.stages.join() ? [] : [{ ...version, stages }]
  })
  return [...changed, added]
}
