import { allowSeconds } from './patience.ts'

// What a test may take unless its file says otherwise.
allowSeconds(60)
