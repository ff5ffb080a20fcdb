declare const brand: unique symbol

/** A primitive that only its own parser can make, so that an order number is never passed where a task number belongs. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
