// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.archetype;

import org.jspecify.annotations.NullMarked;
