// SPDX-License-Identifier: Apache-2.0
/** An operator as users of JOSDK write it: the code of the guide for those who come from there. */
@NullMarked
package dev.coxswain.bench.josdk.website;

import org.jspecify.annotations.NullMarked;
