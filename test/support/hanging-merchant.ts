import type { World } from './world.ts'

/** A merchant who has the goods and answers when the test says so. `arrived`: the moment when the call is there. */
export function openHangingMerchant(world: World) {
  const arrived = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  world.merchant.answer = async () => {
    arrived.resolve()
    await answer.promise
    return { kind: 'done', httpStatus: 200 }
  }
  return { arrived: arrived.promise, release: () => answer.resolve() }
}
