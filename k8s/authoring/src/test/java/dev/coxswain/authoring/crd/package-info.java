// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.authoring.crd;

import org.jspecify.annotations.NullMarked;
