// SPDX-License-Identifier: Apache-2.0
/**
 * The storm: three controllers and 2,000 objects under a minute of mixed writes while the API
 * server breaks in every way it can, and then the question whether anything was lost. See {@code
 * docs/guides/testing-coxswain.md} for how to run it longer or against a real cluster.
 */
@NullMarked
package dev.coxswain.k8s.storm;

import org.jspecify.annotations.NullMarked;
