// SPDX-License-Identifier: Apache-2.0
/** The website of the guides for the module {@code extended} of the official Java client. */
package dev.coxswain.bench.extended.website;
