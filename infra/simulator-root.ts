/**
 * The root that signs the certificates of the PayPal simulator: the same on every machine, so that a stage can name it. Its key is
 * no secret, so it may be trusted nowhere but on the machine that the simulator runs on.
 */
export const SIMULATOR_ROOT_PEM = `-----BEGIN CERTIFICATE-----
MIIBFTCByKADAgECAhEBQC+e1xYj+MClp8W/Fd54SzAFBgMrZXAwIDEeMBwGA1UE
AwwVUGF5UGFsIHNpbXVsYXRvciByb290MCIYDzIwMjAwMTAxMDAwMDAwWhgPMjA5
OTEyMzEyMzU5NTlaMCAxHjAcBgNVBAMMFVBheVBhbCBzaW11bGF0b3Igcm9vdDAq
MAUGAytlcAMhAK0sd0D+DPqu6kDLIomhXV7FazTP3HJLeLJaTPaPZ44WoxMwETAP
BgNVHRMBAf8EBTADAQH/MAUGAytlcANBADyDOm7vsCa85z/p+CR2wDFPXbqZiiXW
bm4r9T9GLF7whGDCf/+VtiYJOqeoQd97cI7Hf5gA7vdTssQ2yn2N4Qo=
-----END CERTIFICATE-----
`
