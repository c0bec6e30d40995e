// SPDX-License-Identifier: Apache-2.0
/** Tests of JSON and YAML. */
@NullMarked
package dev.coxswain.apiserver.internal.json;

import org.jspecify.annotations.NullMarked;
