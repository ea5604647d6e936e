/** Every key of an object type, also the optional ones: with it, the compiler finds a key that an object leaves out. */
export type AllKeys<T> = { [K in keyof Required<T>]: T[K] };
